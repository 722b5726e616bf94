import { unpackBundle } from './unpack-bundle.ts';
import type { UnpackingBudget } from './unpack-bundle.ts';
import { DeploymentError } from './deployment-error.ts';
import { checkEntryOrder } from './entry-order.ts';
import { openPackage } from './package-reader.ts';
import { verifyPackageSignature } from './verify-signature.ts';
import { extract, MAXIMUM_BUNDLE_ENTRIES } from './unpack-package.ts';
import type { UnpackingRequest } from './unpack-package.ts';
import { MAXIMUM_UNPACKED_BYTES } from './zip-directory.ts';

/**
 * Finds every error of a package that cannot be unpacked: in the order of its entries, in its signature, and in each of its
 * bundles and resources. An error in the archive itself or in its manifest hides all others.
 *
 * @param request its `target` is below the directory of the package and does not exist yet
 * @returns the errors in the order in which they are found; at least one when `unpackPackage` refuses the package
 */
export async function findPackageErrors(request: UnpackingRequest): Promise<readonly DeploymentError[]> {
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
  const opened = await attempt(() => openPackage(request.file));
  if (opened === undefined) return errors;
  const { entries, contents, signed } = opened;
  await attempt(() => checkEntryOrder([...entries.keys()], contents));
  const signature = await attempt(() => verifyPackageSignature({ ...request, ...signed }));
  const { file, target } = request;
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
