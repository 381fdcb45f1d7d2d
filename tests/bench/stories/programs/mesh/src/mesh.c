#include "mesh.h"

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static float unit(uint32_t *state)
{
	return (float)(next_random(state) % 65536) / 65536.0f;
}

void mesh_init(struct mesh *mesh, uint32_t seed)
{
	for (size_t y = 0; y < SIDE; y++)
		for (size_t x = 0; x < SIDE; x++)
			mesh->cells[y][x] = unit(&seed);
	for (size_t i = 0; i < PARTICLES; i++)
		mesh->particles[i] = (struct particle){.x = unit(&seed) * SIDE,
			.y = unit(&seed) * SIDE,
			.vx = unit(&seed) - 0.5f,
			.vy = unit(&seed) - 0.5f};
}
