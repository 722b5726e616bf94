import { json } from 'node:stream/consumers';

import { DeploymentError } from './deployment-error.ts';
import { unpackPackage } from './package-unpacking.ts';
import type { UnpackingRequest } from './package-unpacking.ts';
import type { UnpackingAnswer } from './package-unpacker.ts';

// Entry of the child process of `package-unpacker.ts`: one request on standard input, one answer on standard output.
const request = (await json(process.stdin)) as UnpackingRequest;
process.stdout.write(JSON.stringify(await answer()));

async function answer(): Promise<UnpackingAnswer> {
  try {
    return { unpacked: await unpackPackage(request) };
  } catch (error) {
    if (error instanceof DeploymentError) return { refused: { reason: error.reason, detail: error.detail } };
    const { code } = error as { readonly code?: unknown };
    // What the medium does is no fault of the package.
    if (typeof code === 'string') return { failed: code };
    throw error;
  }
}
