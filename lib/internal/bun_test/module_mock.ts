export function setExport(_object: any, _key: any, _value: any): (() => void) | undefined {
  return undefined;
}
