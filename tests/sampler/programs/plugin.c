/* SPDX-License-Identifier: Apache-2.0 */
/* Two shared objects are made of this, of the same layout and different content. */
extern volatile unsigned long plugin_sink;
volatile unsigned long plugin_sink;
void PLUGIN_NAME(void);

void PLUGIN_NAME(void)
{
	for (unsigned long i = 0; i < 200000; i++)
		plugin_sink += i * PLUGIN_FACTOR;
}
