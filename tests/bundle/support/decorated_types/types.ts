export interface Shape { sides: number }
export class Circle {}
