#include "mesh.h"

#include <string.h>

static float exchange(const struct mesh *mesh, size_t y, size_t x)
{
	float around = mesh->cells[y - 1][x] + mesh->cells[y + 1][x] + mesh->cells[y][x - 1] + mesh->cells[y][x + 1];

	return mesh->cells[y][x] + 0.2f * (around - 4 * mesh->cells[y][x]);
}

void flow_step(struct mesh *mesh)
{
	for (size_t y = 1; y + 1 < SIDE; y++)
		for (size_t x = 1; x + 1 < SIDE; x++)
			mesh->next[y][x] = exchange(mesh, y, x);
	for (size_t y = 1; y + 1 < SIDE; y++)
		memcpy(&mesh->cells[y][1], &mesh->next[y][1], (SIDE - 2) * sizeof(float));
}

/* What the cells hold, each row weighted by the square of its place. */
float flow_sum_columns(const struct mesh *mesh)
{
	float sum = 0;

	for (size_t y = 0; y < SIDE; y++)
		for (size_t x = 0; x < SIDE; x++)
			sum += mesh->cells[y][x] * (float)(y * y % 17);
	return sum;
}
