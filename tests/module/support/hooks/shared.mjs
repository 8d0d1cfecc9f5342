import made from "made:static";
export { made };
