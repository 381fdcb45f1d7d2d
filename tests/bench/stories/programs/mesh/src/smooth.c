#include "mesh.h"

#define WIDTH 6

float smooth_profile(const struct mesh *mesh)
{
	float roughness = 0;

	for (size_t y = 0; y < SIDE; y += 4) {
		for (size_t x = 0; x < SIDE; x++) {
			float off = mesh->cells[y][x] - smooth_at(mesh->cells[y], SIDE, x, WIDTH);

			roughness += off * off;
		}
	}
	return roughness;
}
