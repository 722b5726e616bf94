import { buildPackage } from '../package-builder.ts';
import { nameAttemptBundle, SPARE_FILE, writeAttemptBundle } from './attempt-bundle.ts';
import type { AttemptGroup } from './attempt.ts';

/**
 * Builds a package with one bundle, without permissions, that makes the attempts of a group. Installed in a gateway, it waits for the steps that an
 * `AttemptRun` writes into its data directory.
 */
export function buildAttemptPackage({ category, attempts }: AttemptGroup): Buffer {
  const symbolicName = nameAttemptBundle(category);
  return buildPackage({
    symbolicName,
    bundles: [
      { symbolicName, main: writeAttemptBundle(attempts), files: { [SPARE_FILE.name]: SPARE_FILE.text } },
    ],
  });
}
