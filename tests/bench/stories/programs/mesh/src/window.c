#include "mesh.h"

/* The mean of what is up to `width` places away. */
float smooth_at(const float *values, size_t count, size_t at, size_t width)
{
	size_t from = at > width ? at - width : 0, to = at + width < count ? at + width : count - 1;
	float sum = 0;

	for (size_t i = from; i <= to; i++)
		sum += values[i];
	return sum / (float)(to - from + 1);
}
