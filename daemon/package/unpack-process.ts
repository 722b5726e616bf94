import path from 'node:path';

import { readRequest, writeAnswer } from '../base/child-standard-streams.ts';
import { DeploymentError } from './deployment-error.ts';
import { findPackageErrors } from './find-package-errors.ts';
import { unpackPackage } from './unpack-package.ts';
import type { UnpackingRequest } from './unpack-package.ts';
import type { Refusal, UnpackingAnswer } from './unpack-in-child.ts';

// Entry of the child process of `unpack-in-child.ts`: one request on standard input, one answer on standard output.
const request = JSON.parse(readRequest().toString()) as UnpackingRequest;
writeAnswer(JSON.stringify(await answer()));

async function answer(): Promise<UnpackingAnswer> {
  try {
    return { unpacked: await unpackPackage(request) };
  } catch (error) {
    if (error instanceof DeploymentError) return { refused: (await listErrors(error)).map(toRefusal) };
    const { code } = error as { readonly code?: unknown };
    // An error of the disk is not an error of the package.
    if (typeof code === 'string') return { failed: code };
    throw error;
  }
}

async function listErrors(first: DeploymentError): Promise<readonly DeploymentError[]> {
  if (request.isThorough !== true) return [first];
  const target = path.join(request.target, 'again');
  const errors = await findPackageErrors({ ...request, target });
  return errors.length === 0 ? [first] : errors;
}

function toRefusal({ reason, detail }: DeploymentError): Refusal {
  return { reason, detail };
}
