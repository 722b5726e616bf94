import type { NodeId } from 'node-opcua-client';

import { HIDDEN_CHARACTER } from '../../../daemon/base/text/plain-text.ts';
import { ATTRIBUTES } from '../opcua-address.ts';
import { findProperties } from '../session/find-properties.ts';
import { readAttributes } from '../session/read-attributes.ts';
import type { SessionLink } from '../session/read-attributes.ts';

/** Properties of an analogue value (OPC 10000-8, 5.3.2). */
export interface VariableProperties {
  readonly unit?: string | undefined;
  readonly range?: { readonly low: number; readonly high: number } | undefined;
}

const NAMES = ['EngineeringUnits', 'EURange'] as const;
const MAXIMUM_UNIT_LENGTH = 64;

/**
 * Reads engineering units and ranges of variables; most have neither.
 *
 * @returns one per variable, in the same order
 * @throws the errors of `OpcuaLink.call`
 */
export async function readProperties(
  variables: readonly NodeId[],
  asking: SessionLink,
): Promise<readonly VariableProperties[]> {
  const paths = variables.flatMap((nodeId) => NAMES.map((name) => ({ nodeId, name })));
  const found = (await findProperties(paths, asking)).map(({ nodeId }) => nodeId);
  const present = found.filter((nodeId) => nodeId !== undefined);
  const values = await readAttributes(
    present.map((nodeId) => ({ nodeId, attributeId: ATTRIBUTES.Value })),
    asking,
  );
  let position = 0;
  const all = found.map((nodeId): unknown => {
    if (nodeId === undefined) return undefined;
    position += 1;
    return values[position - 1];
  });
  return variables.map((_, index) => ({
    unit: toUnit(all[NAMES.length * index]),
    range: toRange(all[NAMES.length * index + 1]),
  }));
}

// EUInformation: the display name is the unit, °C; the description is its name in words.
function toUnit(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('displayName' in value)) return undefined;
  const text = textOf(value.displayName)?.trim();
  const isUsable =
    text !== undefined && text !== '' && text.length <= MAXIMUM_UNIT_LENGTH && !HIDDEN_CHARACTER.test(text);
  return isUsable ? text : undefined;
}

function toRange(value: unknown): VariableProperties['range'] {
  if (typeof value !== 'object' || value === null || !('low' in value) || !('high' in value))
    return undefined;
  const { low, high } = value;
  if (typeof low !== 'number' || typeof high !== 'number') return undefined;
  return Number.isFinite(low) && Number.isFinite(high) ? { low, high } : undefined;
}

/** Returns the text of a LocalizedText of the library; undefined if it is none. */
export function textOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('text' in value)) return undefined;
  return typeof value.text === 'string' ? value.text : undefined;
}
