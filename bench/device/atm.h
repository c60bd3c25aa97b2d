/* atm.h: the energy of Axilrod, Teller and Muto, a thread per triplet. Strict: cell (i, j, k) is the triplet (i + 2, j + 1, k).
 *
 * Nothing is shared between threads: each computes three distances of its own. A block adds up its energies, and then adds them to
 * one of 65,536 sums of 64 bits, in units of 2^-LAB_UNIT, by halves: atomics of 32 bits are what every device has.
 *
 * SPDX-License-Identifier: MIT */

#define LAB_SUMS 65536u

WEDGE_FN float lab_square(float4 a, float4 b) {
    const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return x * x + y * y + z * z;
}

WEDGE_FN float lab_energy(float4 a, float4 b, float4 c) {
    const float ab = lab_square(a, b), ac = lab_square(a, c), bc = lab_square(b, c);
    const float by = 1.0f / (ab * ac * bc);
    const float angles = 0.375f * (ab + ac - bc) * (ab + bc - ac) * (ac + bc - ab) * by + 1.0f;
    return angles * by * sqrt(by);
}

WEDGE_FN void lab_add(WEDGE_GLOBAL wedge_u32 *out, float sum) {
    const wedge_u64 units = (wedge_u64)(wedge_i64)((float)(1 << LAB_UNIT) * sum);
    const wedge_u32 x = (wedge_group_id(0) + 97u * wedge_group_id(1) + 31u * wedge_group_id(2)) % LAB_SUMS;
    const wedge_u32 low = (wedge_u32)units, old = wedge_atomic_add(out + 2u * x, low);
    wedge_atomic_add(out + 2u * x + 1u, (wedge_u32)(units >> 32) + (old + low < old ? 1u : 0u));
}

#define LAB_BLOCK (LAB_RHO * LAB_RHO * LAB_RHO)
#define LAB_THREAD ((wedge_local_id(2) * LAB_RHO + wedge_local_id(1)) * LAB_RHO + wedge_local_id(0))
#define LAB_BEGIN                           \
    WEDGE_SHARED float lab_part[LAB_BLOCK]; \
    float lab_sum = 0;
#define LAB_CELL lab_sum += lab_energy(in[i + 2u], in[j + 1u], in[k]);
#define LAB_END                                                                                            \
    lab_part[LAB_THREAD] = lab_sum;                                                                        \
    wedge_barrier();                                                                                       \
    if (LAB_THREAD < 32u)                                                                                  \
        for (wedge_u32 t = LAB_THREAD + 32u; t < LAB_BLOCK; t += 32u) lab_part[LAB_THREAD] += lab_part[t]; \
    wedge_barrier();                                                                                       \
    if (LAB_THREAD == 0u) {                                                                                \
        for (wedge_u32 t = 1; t < 32u && t < LAB_BLOCK; ++t) lab_part[0] += lab_part[t];                   \
        lab_add(out, lab_part[0]);                                                                         \
    }
