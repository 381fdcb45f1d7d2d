# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154
# ImageMagick: a fractal from a seed, filters with OpenMP's threads, PNG.
needs=(convert identify)

prepare() { :; }

work() {
	measured convert -seed 5 -size $((scale * 60 + 100))x300 plasma:fractal -blur 0x2 -swirl 60 picture.png
	measured convert picture.png -resize 170% -rotate 20 -sharpen 0x1 -colorspace Gray ppm:- | md5sum
	measured convert picture.png -quality 80 jpeg:- | md5sum
	measured convert no-such-picture.png out.png
	local status=$?
	measured identify -verbose picture.png
	return "$status"
}

# The times of the picture's file, and of identify itself.
filter() {
	sed -E -e 's/^( *(date:(create|modify|timestamp)|png:tIME): ).*/\1T/' \
		-e 's/^(  (User time: |Elapsed time: |Pixels per second: )).*/\1T/'
}
