#include "mesh.h"

static float corner_spread(const struct mesh *mesh, size_t y, size_t x, size_t size)
{
	float low = mesh->cells[y][x], high = low;
	const float others[] = {mesh->cells[y][x + size - 1], mesh->cells[y + size - 1][x],
		mesh->cells[y + size - 1][x + size - 1]};

	for (int i = 0; i < 3; i++) {
		low = others[i] < low ? others[i] : low;
		high = others[i] > high ? others[i] : high;
	}
	return high - low;
}

float quad_energy(const struct mesh *mesh, size_t y, size_t x, size_t size, size_t least)
{
	float spread = corner_spread(mesh, y, x, size);
	size_t half = size / 2;

	if (half < least || spread == 0)
		return spread * (float)(size * size);
	return quad_energy(mesh, y, x, half, least) + quad_energy(mesh, y, x + half, half, least) +
	       quad_energy(mesh, y + half, x, half, least) + quad_energy(mesh, y + half, x + half, half, least);
}
