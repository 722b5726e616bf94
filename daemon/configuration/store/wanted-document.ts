import { DocumentError } from '../../base/document-error.ts';
import type { DocumentFault } from '../../base/document-error.ts';
import type { Fault } from '../../base/schema.ts';
import { runInSlices } from '../../base/slices.ts';
import type { SliceClock } from '../../base/slices.ts';
import type { DriverFactory } from '../../channel/driver.ts';
import type { KnownPlant } from '../../plant/asset/plant-config.ts';
import type { TemplateSet } from '../asset-templates.ts';
import type { ConfigurableBundle } from '../bundle-section.ts';
import { findOversizedPart } from '../document-bounds.ts';
import { checkTemplated } from '../expand-assets.ts';
import { isDocument, nameOf } from '../managed-document.ts';
import type { ManagedConfiguration, ManagedDocument } from '../managed-document.ts';
import { reuseParts } from '../reuse-parts.ts';
import { restoreSecrets } from './secret-target.ts';

/** Document that a change requests, and what it is checked against. */
interface WantedDocument {
  /** All driver types. */
  readonly factories: readonly DriverFactory[];
  /** Installed bundles that have settings. */
  readonly bundles: readonly ConfigurableBundle[] | undefined;
  /** May contain secret markers. */
  readonly wanted: unknown;
  /** The document in whose place it comes; the markers mean its secrets. */
  readonly active: ManagedDocument;
  /** Checked parts of the active document. */
  readonly known: KnownPlant | undefined;
  /** Reads the templates of the assets of a document. */
  readonly loadTemplates: (document: unknown) => Promise<TemplateSet>;
  readonly clock: SliceClock;
}

/** A requested document that passed its check. */
interface CheckedDocument {
  readonly configuration: ManagedConfiguration;
  /** With the secrets that are kept. */
  readonly document: ManagedDocument;
  readonly templates: TemplateSet;
}

/**
 * Checks a requested document as a whole, in slices.
 *
 * @throws {DocumentError} with every fault of the document
 */
export async function checkWanted(request: WantedDocument): Promise<CheckedDocument> {
  const { factories, bundles, wanted, active, known, loadTemplates, clock } = request;
  const oversized = await runInSlices(findOversizedPart(wanted), clock);
  if (oversized !== undefined) throw new DocumentError([nameItem(oversized, wanted)]);
  const reused = await runInSlices(reuseParts(wanted, active), clock);
  const restoring = restoreSecrets({ factories, bundles, document: reused, former: active });
  const { document, faults } = await runInSlices(restoring, clock);
  const templates = await loadTemplates(document);
  const check = checkTemplated(factories, templates, document, { known, bundles });
  const checked = await runInSlices(check, clock);
  const all = [...faults, ...(checked.faults ?? [])];
  if (checked.value === undefined || all.length > 0)
    throw new DocumentError(all.map((fault) => nameItem(fault, document)));
  return { configuration: checked.value, document: document as ManagedDocument, templates };
}

/** Adds the name of the item whose number begins the path. */
function nameItem(fault: Fault, document: unknown): DocumentFault {
  const [section, index] = fault.path;
  if (typeof section !== 'string' || typeof index !== 'number' || !isDocument(document)) return fault;
  const items = document[section];
  const item = Array.isArray(items) ? nameOf(items[index]) : undefined;
  return typeof item === 'string' ? { ...fault, item } : fault;
}
