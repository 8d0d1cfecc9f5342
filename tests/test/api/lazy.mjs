console.log("lazy evaluated"); export const l = "lazy orig";
