/** `Bun.s3`, `Bun.S3Client` (https://bun.com/docs/runtime/s3), and what of S3 other parts of Bun's API take. */

import { constructorOnly } from "bun/util";
import { S3Client as Client } from "internal/s3/client";
import { S3File } from "internal/s3/file";
import { fromEnvironment, merged } from "internal/s3/options";

export const S3Client = constructorOnly(Client);

/** A client with the credentials of the environment. */
export const s3 = new S3Client();

export const isS3File = (value: unknown): value is S3File => S3File.isFile(value);

/** The file of an "s3://" URL. */
export function s3File(path: string, options: unknown): S3File {
  return new S3File(path, merged(fromEnvironment(), options));
}
