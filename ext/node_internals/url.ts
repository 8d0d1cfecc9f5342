/** Node's internal/url, as far as bao has it. */
import { fileURLToPath, isURL, pathToFileURL, toPathIfFileURL } from "internal/url/url";

export default { URL, URLSearchParams, fileURLToPath, isURL, pathToFileURL, toPathIfFileURL };
