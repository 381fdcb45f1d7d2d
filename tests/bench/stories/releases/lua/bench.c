/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "lauxlib.h"
#include "lua.h"
#include "lualib.h"

int main(int argc, char **argv)
{
	lua_State *state = luaL_newstate();

	luaL_openlibs(state);
	lua_pushinteger(state, argc > 1 ? atoi(argv[1]) : 1);
	lua_setglobal(state, "rounds");
	if (luaL_dofile(state, "bench.lua")) {
		fprintf(stderr, "%s\n", lua_tostring(state, -1));
		return 1;
	}
	lua_close(state);
	return 0;
}
