export class Kind { name = "kind"; }
