import path from 'node:path';
import { json } from 'node:stream/consumers';

import { DeploymentError } from './deployment-error.ts';
import { findPackageFaults } from './package-faults.ts';
import { unpackPackage } from './unpack-package.ts';
import type { UnpackingRequest } from './unpack-package.ts';
import type { Refusal, UnpackingAnswer } from './unpack-in-child.ts';

// Entry of the child process of `unpack-in-child.ts`: one request on standard input, one answer on standard output.
const request = (await json(process.stdin)) as UnpackingRequest;
process.stdout.write(JSON.stringify(await answer()));

async function answer(): Promise<UnpackingAnswer> {
  try {
    return { unpacked: await unpackPackage(request) };
  } catch (error) {
    if (error instanceof DeploymentError) return { refused: (await listFaults(error)).map(toRefusal) };
    const { code } = error as { readonly code?: unknown };
    // What the medium does is no fault of the package.
    if (typeof code === 'string') return { failed: code };
    throw error;
  }
}

async function listFaults(first: DeploymentError): Promise<readonly DeploymentError[]> {
  if (request.isThorough !== true) return [first];
  const target = path.join(request.target, 'again');
  const faults = await findPackageFaults({ ...request, target });
  return faults.length === 0 ? [first] : faults;
}

function toRefusal({ reason, detail }: DeploymentError): Refusal {
  return { reason, detail };
}
