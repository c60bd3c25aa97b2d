# Writes a text file as a C array: cmake -DIN=file -DOUT=file.c -DNAME=text_map -P embed.cmake
# Bytes, not a string literal: literals have a length limit and would need escapes.
#
# SPDX-License-Identifier: MIT
file(READ "${IN}" hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "(0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],)" "\\1\n" bytes "${bytes}")
file(WRITE "${OUT}" "#include \"engine/kernels/texts.h\"\n\nconst char ${NAME}[] = {\n${bytes}0};\n")
