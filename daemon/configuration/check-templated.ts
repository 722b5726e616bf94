import type { FormerCheck } from '../asset/plant-config.ts';
import type { Checked } from '../base/schema.ts';
import type { DriverFactory } from '../channel/driver.ts';
import type { TemplateSet } from './asset-templates.ts';
import { expandAssets } from './expand-assets.ts';
import { checkDocument, isDocument } from './managed-document.ts';
import type { ManagedConfiguration } from './managed-document.ts';

/**
 * Expands the templates of a document, and checks the result as a whole.
 *
 * @param value plain data; every section may be absent
 * @param before see `checkPlant`
 * @returns the configuration with the channels that came of templates; or all errors, with their places in `value`
 */
export function checkTemplated(
  factories: readonly DriverFactory[],
  templates: TemplateSet,
  value: unknown,
  before?: FormerCheck,
): Checked<ManagedConfiguration> {
  if (!isDocument(value)) return checkDocument(factories, value);
  const { document, faults, relocate } = expandAssets(value, templates);
  const checked = checkDocument(factories, document, before);
  if (faults.length === 0 && checked.faults === undefined) return checked;
  return { faults: [...faults, ...(checked.faults ?? []).map(relocate)] };
}
