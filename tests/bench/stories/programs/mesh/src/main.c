#include "mesh.h"

#include <stdio.h>
#include <stdlib.h>

static float one_step(struct mesh *mesh)
{
	flow_step(mesh);
	drift_step(mesh);
	return smooth_profile(mesh) + flow_sum_columns(mesh) * 0.001f + drift_heat(mesh) * 0.01f +
	       quad_energy(mesh, 0, 0, SIDE, 6) * 0.001f;
}

int main(int argc, char **argv)
{
	unsigned steps = argc > 1 ? (unsigned)atoi(argv[1]) : 10;
	static struct mesh mesh;
	float sum = 0;

	mesh_init(&mesh, 7);
	for (unsigned i = 0; i < steps; i++)
		sum += one_step(&mesh);
	printf("%u steps: %.3f\n", steps, (double)sum);
	return 0;
}
