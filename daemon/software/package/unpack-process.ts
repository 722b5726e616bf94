import path from 'node:path';

import { readRequest, writeAnswer } from '../../base/process/child-standard-streams.ts';
import { DeploymentError } from './deployment-error.ts';
import { extract, MAXIMUM_BUNDLE_ENTRIES, unpackPackage } from './unpack-package.ts';
import type { UnpackingRequest } from './unpack-package.ts';
import type { Refusal, UnpackingAnswer } from './unpack-in-child.ts';
import { unpackBundle } from './unpack-bundle.ts';
import type { UnpackingBudget } from './unpack-bundle.ts';
import { checkEntryOrder } from './archive/entry-order.ts';
import { openPackage } from './package-reader.ts';
import { verifyPackageSignature } from './signature/verify-signature.ts';
import { MAXIMUM_UNPACKED_BYTES } from './archive/zip-directory.ts';

// Entry point of the child process of `unpack-in-child.ts`: one request on standard input, one response on standard output.
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

/**
 * Finds every error of a package that cannot be unpacked: in the order of its entries, in its signature, and in each of its
 * bundles and resources. An error in the archive itself or in its manifest hides all others.
 *
 * @param unpacking its `target` is below the directory of the package and does not exist yet
 * @returns the errors in the order in which they are found; at least one when `unpackPackage` refuses the package
 */
async function findPackageErrors(unpacking: UnpackingRequest): Promise<readonly DeploymentError[]> {
  const errors: DeploymentError[] = [];
  const attempt = async <T>(act: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof DeploymentError)) throw error;
      errors.push(error);
      return undefined;
    }
  };
  const opened = await attempt(() => openPackage(unpacking.file));
  if (opened === undefined) return errors;
  const { entries, contents, signed } = opened;
  await attempt(() => checkEntryOrder([...entries.keys()], contents));
  const signature = await attempt(() => verifyPackageSignature({ ...unpacking, ...signed }));
  const { file, target } = unpacking;
  const extraction = { file, target, entries, digests: signature?.digests ?? new Map() };
  const isHere = ({ path: name }: { readonly path: string }): boolean => entries.has(name);
  for (const { path: name } of contents.resources.filter(isHere)) {
    await attempt(() => extract(extraction, name, `resources/${name}`));
  }
  const budget: UnpackingBudget = { bytes: MAXIMUM_UNPACKED_BYTES, entries: MAXIMUM_BUNDLE_ENTRIES };
  for (const declared of contents.bundles.filter(isHere)) {
    const location = `archives/${declared.symbolicName}.jar`;
    await attempt(async () => {
      const archive = await extract(extraction, declared.path, location);
      return unpackBundle({ declared, archive, target, budget });
    });
  }
  return errors;
}
