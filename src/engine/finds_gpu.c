#include "engine/finds.h"
const finds_path finds_gpu = {0};
