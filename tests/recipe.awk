# recipe.awk -v file=PATH PAGE.md: the block of C that follows the heading which names `PATH`.
#
# SPDX-License-Identifier: MIT
/^#/ { here = index($0, "`" file "`") > 0 }
/^```/ && inside { exit }
inside { print }
here && /^```c$/ { inside = 1 }
