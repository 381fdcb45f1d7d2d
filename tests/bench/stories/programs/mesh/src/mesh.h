/* Heat on a plate: cells, what flows between them, and particles that drift over it. */
#ifndef MESH_H
#define MESH_H

#include <stddef.h>
#include <stdint.h>

#define SIDE 192
#define PARTICLES 40000

struct particle {
	float x, y, vx, vy, heat;
};

struct mesh {
	float cells[SIDE][SIDE], next[SIDE][SIDE];
	struct particle particles[PARTICLES];
};

/* mesh.c */
void mesh_init(struct mesh *mesh, uint32_t seed);

/* flow.c */
void flow_step(struct mesh *mesh);
float flow_sum_columns(const struct mesh *mesh);

/* drift.c */
void drift_step(struct mesh *mesh);
float drift_heat(const struct mesh *mesh);

/* quad.c: halves what is uneven, down to squares of `least` cells */
float quad_energy(const struct mesh *mesh, size_t y, size_t x, size_t size, size_t least);

/* window.c */
float smooth_at(const float *values, size_t count, size_t at, size_t width);

/* smooth.c */
float smooth_profile(const struct mesh *mesh);

#endif
