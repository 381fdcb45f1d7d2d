#include "mesh.h"

#include <math.h>

static float wrap(float at)
{
	if (at < 0)
		return at + SIDE;
	return at >= SIDE ? at - SIDE : at;
}

static void move(struct particle *particle, float heat)
{
	float speed = sqrtf(particle->vx * particle->vx + particle->vy * particle->vy) + 0.01f;

	particle->x = wrap(particle->x + particle->vx / speed * 0.3f);
	particle->y = wrap(particle->y + particle->vy / speed * 0.3f);
	particle->heat += 0.1f * (heat - particle->heat);
}

void drift_step(struct mesh *mesh)
{
	for (size_t i = 0; i < PARTICLES; i++) {
		struct particle *particle = &mesh->particles[i];
		size_t x = (size_t)particle->x % SIDE, y = (size_t)particle->y % SIDE;

		move(particle, mesh->cells[y][x]);
	}
}

float drift_heat(const struct mesh *mesh)
{
	float heat = 0;

	for (size_t i = 0; i < PARTICLES; i++)
		heat += mesh->particles[i].heat;
	return heat;
}
