// Classes as programs use them: private fields, accessors, static members, inheritance, iterators, closures, garbage.
class Vector {
  #x;
  #y;
  static made = 0;
  constructor(x, y) {
    this.#x = x;
    this.#y = y;
    Vector.made++;
  }
  get x() {
    return this.#x;
  }
  get y() {
    return this.#y;
  }
  plus(other) {
    return new Vector(this.#x + other.#x, this.#y + other.#y);
  }
  times(factor) {
    return new Vector(this.#x * factor, this.#y * factor);
  }
  *[Symbol.iterator]() {
    yield this.#x;
    yield this.#y;
  }
}

class Shape {
  constructor(name, at) {
    this.name = name;
    this.at = at;
  }
  area() {
    return 0;
  }
  moved(by) {
    return new this.constructor(this, this.at.plus(by));
  }
}
class Circle extends Shape {
  constructor(from, at, radius = from.radius ?? 1) {
    super("circle", at);
    this.radius = radius;
  }
  area() {
    return Math.PI * this.radius ** 2;
  }
}
class Box extends Shape {
  constructor(from, at, width = from.width ?? 1, height = from.height ?? 1) {
    super("box", at);
    this.width = width;
    this.height = height;
  }
  area() {
    return this.width * this.height;
  }
}
class Square extends Box {
  constructor(from, at) {
    super(from, at, from.width ?? 2, from.width ?? 2);
    this.name = "square";
  }
  area() {
    return super.area() + 0;
  }
}

let result = 0;
let shapes = Array.from({ length: 999 }, (_, i) => new [Circle, Box, Square][i % 3]({}, new Vector(i, -i)));
const by = new Vector(0.5, 0.25);
for (let round = 0; round < 700; round++) {
  shapes = shapes.map((shape) => shape.moved(by));
  for (const { at, name } of shapes) result += at.x - at.y + name.length;
  for (const shape of shapes) result += shape.area();
}
for (let i = 0; i < 300000; i++) {
  const [x, y] = new Vector(i, 1).times(2);
  result += x - y;
}

// A tree of closures and a tree of objects, made and dropped.
const tree = (depth) => (depth === 0 ? { left: null, right: null } : { left: tree(depth - 1), right: tree(depth - 1) });
const count = (node) => (node === null ? 0 : 1 + count(node.left) + count(node.right));
for (let i = 0; i < 25; i++) result += count(tree(14));
const counter = (start) => {
  let n = start;
  return { up: (by = 1) => (n += by), get value() { return n; } };
};
for (let i = 0; i < 400000; i++) {
  const c = counter(i);
  c.up();
  c.up(2);
  result += c.value;
}
console.log(result.toFixed(3), Vector.made);
