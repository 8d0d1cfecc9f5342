export default "A"
