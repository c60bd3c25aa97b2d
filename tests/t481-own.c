#include "devices.h"
int main(void){return 0;}
