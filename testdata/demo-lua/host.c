/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs one Lua script with its arguments in the global table `arg`; the crate that the
 * interpreter's sources come from has no program of its own. Works with Lua 5.3 and 5.4.
 */
#include <stdio.h>

#include "lauxlib.h"
#include "lua.h"
#include "lualib.h"

static void set_arguments(lua_State *lua, int count, char **words)
{
	lua_createtable(lua, count, 1);
	for (int i = 0; i < count; i++) {
		lua_pushstring(lua, words[i]);
		lua_rawseti(lua, -2, i);
	}
	lua_setglobal(lua, "arg");
}

int main(int count, char **words)
{
	lua_State *lua = luaL_newstate();
	int failed;

	if (!lua || count < 2) {
		fputs("usage: host SCRIPT [ARGUMENT...]\n", stderr);
		return 2;
	}
	luaL_openlibs(lua);
	set_arguments(lua, count - 1, words + 1);
	failed = luaL_dofile(lua, words[1]);
	if (failed)
		fprintf(stderr, "%s\n", lua_tostring(lua, -1));
	lua_close(lua);
	return failed;
}
