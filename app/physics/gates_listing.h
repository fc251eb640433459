/* The conditions of Gates 2001, section 3, case by case as his listing has them: an independent reference for
   kernels/gates.h. H of the listing is the spacing of the axis that a term belongs to. A case is the flag NF of the
   paper: six bits for empty neighbours at -x, +x, -y, +y, -z and +z. */
#ifndef RUNNEL_APP_GATES_LISTING_H
#define RUNNEL_APP_GATES_LISTING_H

#define UL f[0] /* U(i-1,j,k) */
#define UH f[1] /* U(i,j,k) */
#define VL f[2] /* V(i,j-1,k) */
#define VH f[3] /* V(i,j,k) */
#define WL f[4] /* W(i,j,k-1) */
#define WH f[5] /* W(i,j,k) */

/* Changes the speeds f (m/s) of the six faces of a cell, lower and upper along x, y and z, as the listing does for the
   case `flag`; cases that it does not list, 0 among them, change nothing. spacing: sides of the cell (m); body_force:
   m/s^2; dt: s. */
/* clang-format off */
static void gates_listing(unsigned flag, double f[6], const double spacing[3], const double body_force[3], double dt) {
    const double dx = spacing[0], dy = spacing[1], dz = spacing[2];
    const double Gx = body_force[0], Gy = body_force[1], Gz = body_force[2];
    double div;
    switch (flag) {
    case 0x20: /* 100000 */ UL = UH + dx*( (VH-VL)/dy + (WH-WL)/dz); break;
    case 0x10: /* 010000 */ UH = UL - dx*( (VH-VL)/dy + (WH-WL)/dz); break;
    case 0x08: /* 001000 */ VL = VH + dy*( (UH-UL)/dx + (WH-WL)/dz); break;
    case 0x04: /* 000100 */ VH = VL - dy*( (UH-UL)/dx + (WH-WL)/dz); break;
    case 0x02: /* 000010 */ WL = WH + dz*( (UH-UL)/dx + (VH-VL)/dy); break;
    case 0x01: /* 000001 */ WH = WL - dz*( (UH-UL)/dx + (VH-VL)/dy); break;
    case 0x30: /* 110000 */ UL += Gx*dt; UH += Gx*dt; div = (UH-UL)/dx + (VH-VL)/dy + (WH-WL)/dz; UL += 0.5*dx*div; UH -= 0.5*dx*div; break;
    case 0x0c: /* 001100 */ VL += Gy*dt; VH += Gy*dt; div = (UH-UL)/dx + (VH-VL)/dy + (WH-WL)/dz; VL += 0.5*dy*div; VH -= 0.5*dy*div; break;
    case 0x03: /* 000011 */ WL += Gz*dt; WH += Gz*dt; div = (UH-UL)/dx + (VH-VL)/dy + (WH-WL)/dz; WL += 0.5*dz*div; WH -= 0.5*dz*div; break;
    case 0x28: /* 101000 */ UL = UH+0.5*dx*((WH-WL)/dz); VL = VH+0.5*dy*((WH-WL)/dz); break;
    case 0x24: /* 100100 */ UL = UH+0.5*dx*((WH-WL)/dz); VH = VL-0.5*dy*((WH-WL)/dz); break;
    case 0x18: /* 011000 */ UH = UL-0.5*dx*((WH-WL)/dz); VL = VH+0.5*dy*((WH-WL)/dz); break;
    case 0x14: /* 010100 */ UH = UL-0.5*dx*((WH-WL)/dz); VH = VL-0.5*dy*((WH-WL)/dz); break;
    case 0x0a: /* 001010 */ VL = VH+0.5*dy*((UH-UL)/dx); WL = WH+0.5*dz*((UH-UL)/dx); break;
    case 0x09: /* 001001 */ VL = VH+0.5*dy*((UH-UL)/dx); WH = WL-0.5*dz*((UH-UL)/dx); break;
    case 0x06: /* 000110 */ VH = VL-0.5*dy*((UH-UL)/dx); WL = WH+0.5*dz*((UH-UL)/dx); break;
    case 0x05: /* 000101 */ VH = VL-0.5*dy*((UH-UL)/dx); WH = WL-0.5*dz*((UH-UL)/dx); break;
    case 0x22: /* 100010 */ UL = UH+0.5*dx*((VH-VL)/dy); WL = WH+0.5*dz*((VH-VL)/dy); break;
    case 0x21: /* 100001 */ UL = UH+0.5*dx*((VH-VL)/dy); WH = WL-0.5*dz*((VH-VL)/dy); break;
    case 0x12: /* 010010 */ UH = UL-0.5*dx*((VH-VL)/dy); WL = WH+0.5*dz*((VH-VL)/dy); break;
    case 0x11: /* 010001 */ UH = UL-0.5*dx*((VH-VL)/dy); WH = WL-0.5*dz*((VH-VL)/dy); break;
    case 0x15: /* 010101 */ UH = UL; VH = VL; WH = WL; break;
    case 0x25: /* 100101 */ UL = UH; VH = VL; WH = WL; break;
    case 0x19: /* 011001 */ UH = UL; VL = VH; WH = WL; break;
    case 0x29: /* 101001 */ UL = UH; VL = VH; WH = WL; break;
    case 0x16: /* 010110 */ UH = UL; VH = VL; WL = WH; break;
    case 0x26: /* 100110 */ UL = UH; VH = VL; WL = WH; break;
    case 0x1a: /* 011010 */ UH = UL; VL = VH; WL = WH; break;
    case 0x2a: /* 101010 */ UL = UH; VL = VH; WL = WH; break;
    case 0x38: /* 111000 */ UL += Gx*dt; UH += Gx*dt; VL = VH + dy*( (UH-UL)/dx + (WH-WL)/dz); break;
    case 0x34: /* 110100 */ UL += Gx*dt; UH += Gx*dt; VH = VL - dy*( (UH-UL)/dx + (WH-WL)/dz); break;
    case 0x32: /* 110010 */ UL += Gx*dt; UH += Gx*dt; WL = WH + dz*( (UH-UL)/dx + (VH-VL)/dy); break;
    case 0x31: /* 110001 */ UL += Gx*dt; UH += Gx*dt; WH = WL - dz*( (UH-UL)/dx + (VH-VL)/dy); break;
    case 0x2c: /* 101100 */ VL += Gy*dt; VH += Gy*dt; UL = UH + dx*( (VH-VL)/dy + (WH-WL)/dz); break;
    case 0x1c: /* 011100 */ VL += Gy*dt; VH += Gy*dt; UH = UL - dx*( (VH-VL)/dy + (WH-WL)/dz); break;
    case 0x0e: /* 001110 */ VL += Gy*dt; VH += Gy*dt; WL = WH + dz*( (UH-UL)/dx + (VH-VL)/dy); break;
    case 0x0d: /* 001101 */ VL += Gy*dt; VH += Gy*dt; WH = WL - dz*( (UH-UL)/dx + (VH-VL)/dy); break;
    case 0x23: /* 100011 */ WL += Gz*dt; WH += Gz*dt; UL = UH + dx*( (VH-VL)/dy + (WH-WL)/dz); break;
    case 0x13: /* 010011 */ WL += Gz*dt; WH += Gz*dt; UH = UL - dx*( (VH-VL)/dy + (WH-WL)/dz); break;
    case 0x0b: /* 001011 */ WL += Gz*dt; WH += Gz*dt; VL = VH + dy*( (UH-UL)/dx + (WH-WL)/dz); break;
    case 0x07: /* 000111 */ WL += Gz*dt; WH += Gz*dt; VH = VL - dy*( (UH-UL)/dx + (WH-WL)/dz); break;
    case 0x3c: /* 111100 */ UL += Gx*dt; UH += Gx*dt; VL += Gy*dt; VH += Gy*dt; div = (UH-UL)/dx + (VH-VL)/dy + (WH-WL)/dz; UL += 0.25*dx*div; UH -= 0.25*dx*div; VL += 0.25*dy*div; VH -= 0.25*dy*div; break;
    case 0x33: /* 110011 */ UL += Gx*dt; UH += Gx*dt; WL += Gz*dt; WH += Gz*dt; div = (UH-UL)/dx + (VH-VL)/dy + (WH-WL)/dz; UL += 0.25*dx*div; UH -= 0.25*dx*div; WL += 0.25*dz*div; WH -= 0.25*dz*div; break;
    case 0x0f: /* 001111 */ VL += Gy*dt; VH += Gy*dt; WL += Gz*dt; WH += Gz*dt; div = (UH-UL)/dx + (VH-VL)/dy + (WH-WL)/dz; VL += 0.25*dy*div; VH -= 0.25*dy*div; WL += 0.25*dz*div; WH -= 0.25*dz*div; break;
    case 0x35: /* 110101 */ UL += Gx*dt; UH += Gx*dt; VH = VL-0.5*dy*((UH-UL)/dx); WH = WL-0.5*dz*((UH-UL)/dx); break;
    case 0x36: /* 110110 */ UL += Gx*dt; UH += Gx*dt; VH = VL-0.5*dy*((UH-UL)/dx); WL = WH+0.5*dz*((UH-UL)/dx); break;
    case 0x39: /* 111001 */ UL += Gx*dt; UH += Gx*dt; VL = VH+0.5*dy*((UH-UL)/dx); WH = WL-0.5*dz*((UH-UL)/dx); break;
    case 0x3a: /* 111010 */ UL += Gx*dt; UH += Gx*dt; VL = VH+0.5*dy*((UH-UL)/dx); WL = WH+0.5*dz*((UH-UL)/dx); break;
    case 0x1d: /* 011101 */ VL += Gy*dt; VH += Gy*dt; UH = UL-0.5*dx*((VH-VL)/dy); WH = WL-0.5*dz*((VH-VL)/dy); break;
    case 0x1e: /* 011110 */ VL += Gy*dt; VH += Gy*dt; UH = UL-0.5*dx*((VH-VL)/dy); WL = WH+0.5*dz*((VH-VL)/dy); break;
    case 0x2d: /* 101101 */ VL += Gy*dt; VH += Gy*dt; UL = UH+0.5*dx*((VH-VL)/dy); WH = WL-0.5*dz*((VH-VL)/dy); break;
    case 0x2e: /* 101110 */ VL += Gy*dt; VH += Gy*dt; UL = UH+0.5*dx*((VH-VL)/dy); WL = WH+0.5*dz*((VH-VL)/dy); break;
    case 0x17: /* 010111 */ WL += Gz*dt; WH += Gz*dt; UH = UL-0.5*dx*((WH-WL)/dz); VH = VL-0.5*dy*((WH-WL)/dz); break;
    case 0x1b: /* 011011 */ WL += Gz*dt; WH += Gz*dt; UH = UL-0.5*dx*((WH-WL)/dz); VL = VH+0.5*dy*((WH-WL)/dz); break;
    case 0x27: /* 100111 */ WL += Gz*dt; WH += Gz*dt; UL = UH+0.5*dx*((WH-WL)/dz); VH = VL-0.5*dy*((WH-WL)/dz); break;
    case 0x2b: /* 101011 */ WL += Gz*dt; WH += Gz*dt; UL = UH+0.5*dx*((WH-WL)/dz); VL = VH+0.5*dy*((WH-WL)/dz); break;
    case 0x1f: /* 011111 */ VL += Gy*dt; VH += Gy*dt; WL += Gz*dt; WH += Gz*dt; UH = UL - dx*( (VH-VL)/dy + (WH-WL)/dz); break;
    case 0x2f: /* 101111 */ VL += Gy*dt; VH += Gy*dt; WL += Gz*dt; WH += Gz*dt; UL = UH + dx*( (VH-VL)/dy + (WH-WL)/dz); break;
    case 0x37: /* 110111 */ UL += Gx*dt; UH += Gx*dt; WL += Gz*dt; WH += Gz*dt; VH = VL - dy*( (UH-UL)/dx + (WH-WL)/dz); break;
    case 0x3b: /* 111011 */ UL += Gx*dt; UH += Gx*dt; WL += Gz*dt; WH += Gz*dt; VL = VH + dy*( (UH-UL)/dx + (WH-WL)/dz); break;
    case 0x3d: /* 111101 */ UL += Gx*dt; UH += Gx*dt; VL += Gy*dt; VH += Gy*dt; WH = WL - dz*( (UH-UL)/dx + (VH-VL)/dy); break;
    case 0x3e: /* 111110 */ UL += Gx*dt; UH += Gx*dt; VL += Gy*dt; VH += Gy*dt; WL = WH + dz*( (UH-UL)/dx + (VH-VL)/dy); break;
    case 0x3f: /* 111111 */ UL += Gx*dt; UH += Gx*dt; VL += Gy*dt; VH += Gy*dt; WL += Gz*dt; WH += Gz*dt; break;
    default: break;
    }
}
/* clang-format on */

#undef UL
#undef UH
#undef VL
#undef VH
#undef WL
#undef WH

#endif
