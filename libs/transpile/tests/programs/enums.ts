// Enums: values, reverse mapping, merging, constant expressions, const enums, declared enums.
enum A { X, Y = 5, Z, S = "s", C = Y | 2, L = "abc".length }
enum A { More = 100, Sibling = Y + More, Qualified = A.Z }
const enum K { One = 1, Two = One << 1 }
declare enum Gone { Q }
export enum E { P = A.Z }
console.log(JSON.stringify(A));
console.log(A[5], A.Y, K.Two, E.P, A["X"]);
function f() { enum Local { V = "v" } return Local.V }
console.log(f());
let g: Gone | undefined;
console.log(g);
