#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the READMEs say against the tree: readmes.pl has the rules. TAP.
exec perl "$(dirname "$0")/readmes.pl"
