// What is compiled in the place of a unit that the overlay has: an object with a note for ../overlay/build.rs.
__asm__(".ident \"left to the overlay: " UNIT "\"");
