import type { ProposedAsset, ScanFinding, ScanResult } from '../../../../interface/plant/scans.ts';
import { beginPart } from './device-part.ts';
import type { DevicePart } from './device-part.ts';
import { offerChannels } from './offer.ts';
import type { Offer } from './offer.ts';
import { listRanges } from './register-offers.ts';
import type { RegisterRange } from './register-offers.ts';

/** Assets of a device with what they can have. */
export interface FoundParts {
  readonly parts: readonly DevicePart[];
  /** Registers of each part; empty: none. */
  readonly rangesOf: readonly (readonly RegisterRange[])[];
}

/** Returns the assets that a scan proposes, each with the values that it can have. */
export function toFoundParts({ assets }: ScanResult, findings: readonly ScanFinding[]): FoundParts {
  const ranges = listRanges(findings);
  const units = [...ranges.keys()];
  const found = new Map(findings.map((finding) => [finding.subject, finding]));
  return {
    parts: assets.map((asset) => beginPart(asset, offersOf(asset, found))),
    rangesOf: assets.map((asset, index) => ranges.get(findUnit(asset, units, index) ?? -1) ?? []),
  };
}

function offersOf(
  { channels = [] }: ProposedAsset,
  found: ReadonlyMap<string, ScanFinding>,
): readonly Offer[] {
  return offerChannels(channels, (name) => {
    const { text: detail = '', reasons } = found.get(name) ?? {};
    return { detail, reasons };
  });
}

/** Finds the unit of an asset: by its parameter or name, or by its position. */
function findUnit(
  { parameters, displayName = '', pid }: ProposedAsset,
  units: readonly number[],
  index: number,
): number | undefined {
  const named = parameters?.['unitId'] ?? /unit[ -](\d+)$/.exec(displayName || pid)?.[1];
  return named === undefined ? (units[index] ?? units[0]) : Number(named);
}
