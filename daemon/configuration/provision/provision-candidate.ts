import { formatPath } from '../../base/schema.ts';
import { runInSlices } from '../../base/slices.ts';
import type { SliceClock } from '../../base/slices.ts';
import type { ConfigurableBundle } from '../bundle-section.ts';
import type { DriverFactory } from '../../channel/driver.ts';
import type { ProvisionSource } from '../../settings/settings-file.ts';
import { ConfigurationError } from '../configuration-error.ts';
import type { TemplateSet } from '../asset-templates.ts';
import { checkTemplated } from '../expand-assets.ts';
import type { ManagedConfiguration, ManagedDocument } from '../managed-document.ts';
import type { KnownPlant } from '../../plant/asset/plant-config.ts';
import { reuseParts } from '../reuse-parts.ts';
import { checkSources, listWeakPasswords } from './provision-check.ts';
import { mergeProvisions } from './provisioning.ts';
import type { RequestedIdentity } from './provisioning.ts';
import type { Snapshot } from '../store/snapshot-store.ts';

/** Valid configuration that is not active yet. */
export interface ProvisionCandidate {
  readonly configuration: ManagedConfiguration;
  readonly document: ManagedDocument;
  /** The templates that its assets were expanded with. */
  readonly templates: TemplateSet;
  readonly identities: readonly RequestedIdentity[];
}

/** Input of a provisioning. */
interface ProvisionRequest {
  readonly factories: readonly DriverFactory[];
  readonly bundles: readonly ConfigurableBundle[] | undefined;
  /** The active snapshot. */
  readonly snapshot: Snapshot | undefined;
  /** Checked parts of its document. */
  readonly known: KnownPlant | undefined;
  /** The sources to merge, in their order. */
  readonly changed: readonly ProvisionSource[];
  /** Reads the templates of the assets of a document. */
  readonly loadTemplates: (document: ManagedDocument) => Promise<TemplateSet>;
  readonly clock: SliceClock;
}

/**
 * Merges sources into a snapshot and checks the result as a whole; changes nothing.
 *
 * @throws {ConfigurationError} `CONFIGURATION_INVALID` or `SNAPSHOT_INVALID`, with all errors
 */
export async function prepareProvision(request: ProvisionRequest): Promise<ProvisionCandidate> {
  const { factories, bundles, snapshot, known, changed, loadTemplates, clock } = request;
  const { sources, faults } = await runInSlices(checkSources(changed), clock);
  // Without the sources that cannot be read as a whole, other sources would seem to lack their items.
  if (sources.length < changed.length) throw new ConfigurationError('CONFIGURATION_INVALID', faults);
  const merged = mergeProvisions(snapshot?.document ?? {}, sources);
  const active = snapshot?.document ?? {};
  const document = (await runInSlices(reuseParts(merged.document, active), clock)) as ManagedDocument;
  const templates = await loadTemplates(document);
  const wasRight = changed.length === 0 && snapshot?.wasRight === true;
  const check = checkTemplated(factories, templates, document, { wasRight, known, bundles });
  const checked = await runInSlices(check, clock);
  const snapshotName = `configuration snapshot ${snapshot?.id ?? 0}`;
  for (const fault of checked.faults ?? []) {
    faults.push(
      merged.locate(fault) ?? {
        file: snapshotName,
        key: formatPath(fault.path),
        message: fault.message,
        ...(fault.reasons === undefined ? {} : { reasons: fault.reasons }),
      },
    );
  }
  faults.push(...(await listWeakPasswords(merged, checked.value)));
  if (checked.value === undefined || faults.length > 0) {
    const isOfSnapshot =
      snapshot !== undefined &&
      faults.every(({ file }) => file === snapshotName) &&
      // The stored document has errors even without any source.
      (await runInSlices(checkTemplated(factories, templates, snapshot.document, { bundles }), clock))
        .faults !== undefined;
    throw new ConfigurationError(isOfSnapshot ? 'SNAPSHOT_INVALID' : 'CONFIGURATION_INVALID', faults);
  }
  return { configuration: checked.value, document, templates, identities: merged.identities };
}
