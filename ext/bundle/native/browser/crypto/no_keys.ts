// What checks for keys find in browsers: no object is one.

export class KeyObject {}
