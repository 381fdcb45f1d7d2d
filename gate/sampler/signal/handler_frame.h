/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernel puts on a stack before it calls a handler, and what the handler's return gives
 * back to it (sigreturn(2)).
 *
 * A thread's alternate stack is ours until the program sets its own. The program's handlers that
 * ask for one are then put there, small as it is, where without us they run on the stack that they
 * interrupt. The flag cannot be kept from the kernel instead: a program that has set its stack by a
 * system call of its own would lose it. So the frame is moved to where it would lie without us, and
 * the handler begins there; the alternate stack is free at once for signals in the handler.
 */
#ifndef FG_SAMPLER_HANDLER_FRAME_H
#define FG_SAMPLER_HANDLER_FRAME_H

/*
 * handler. The frame of a function that the kernel has just called. Where it has been moved to,
 * below what it interrupts, if it lay on our stack: the function then ends in FG_FRAME_ENTER()
 * (context.h). NULL: the handler runs where it is, on a stack of the program's own or the
 * interrupted one.
 */
unsigned char *fg_handler_frame_move(unsigned char *frame);

/*
 * any. From now on handlers run where the kernel puts them: this program uses alternate stacks that
 * it finds (Go's runtime, which ends the program where its handlers run elsewhere).
 */
void fg_handler_frames_stay(void);

#endif
