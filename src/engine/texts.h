/* texts.h: device source that the build embeds, byte for byte the files of the repository.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_TEXTS_H
#define WEDGE_ENGINE_TEXTS_H

extern const char text_lang[];    /* include/wedge/lang.h */
extern const char text_map[];     /* include/wedge/map.h */
extern const char text_launch[];  /* src/core/launch.h */
extern const char text_certify[]; /* src/engine/certify_device.h */

#endif
