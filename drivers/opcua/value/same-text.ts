import { isDeepStrictEqual } from 'node:util';
import type { Channel } from '../../../daemon/channel/channel.ts';
import { JsonNumber } from '../../../daemon/base/text/json-number.ts';
import type { Reading } from '../../../daemon/channel/driver.ts';
import { BUILT_IN_TYPES, findBuiltInType, findWritableType } from './data-type.ts';
import { decodeVariant } from './decode-variant.ts';
import { encodeVariant } from './encode-variant.ts';
import { namesOneElement, parseIndexRange } from './index-range.ts';
import { parseNodeId } from './node-id.ts';
import type { OpcuaAddress, FieldStep } from '../opcua-address.ts';
import type { Namespaces } from '../session/namespaces.ts';
import { VariantFault, countDimensions } from './variant.ts';
import type { ChannelReader, DataValueLike } from './reading.ts';
import { findField } from './structure.ts';

/** Type and rank of a value that was read as text. */
interface ReadType {
  /** Number of the built-in type. */
  readonly dataType: number;
  /** Number of dimensions; 0 for a scalar. */
  readonly rank: number;
}

// The third argument of a reviver contains the original digits.
type SourceReviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

const toNumber: SourceReviver = (_key, value, { source }) => {
  if (typeof value !== 'number' || source === undefined) return value;
  const number = new JsonNumber(source).toNumber();
  // Both zeros are the same number.
  return number === 0 ? 0 : number;
};

const NODE_ID_TYPES: ReadonlySet<number | undefined> = new Set([
  BUILT_IN_TYPES.NodeId,
  BUILT_IN_TYPES.ExpandedNodeId,
]);

/**
 * True if two texts of a STRING channel denote the same value in the type of its node: times at the same instant, Guids
 * and NodeIds in any spelling, arrays by element, structures by member.
 *
 * @returns undefined if the session has not read the channel
 */
export function isSameText(
  { address }: Channel<OpcuaAddress>,
  shown: string,
  text: string,
  { readTypes, namespaces }: { readonly readTypes: ReadTypes; readonly namespaces: Namespaces },
): boolean | undefined {
  const form = readTypes.find(address);
  if (form === undefined) return undefined;
  if (shown === text) return true;
  const range = address.indexRange === undefined ? undefined : parseIndexRange(address.indexRange);
  const isOne = form.rank === 0 || (range !== undefined && namesOneElement(range));
  if (isOne && NODE_ID_TYPES.has(form.dataType)) {
    const [one, other] = [shown, text].map((each) => toPlainNodeId(each, namespaces));
    return one !== undefined && one === other;
  }
  const type = findWritableType(form.dataType);
  if (type !== undefined) {
    const variant = encodeVariant({ type, rank: isOne ? 0 : form.rank }, text);
    const decoded =
      variant instanceof VariantFault ? variant : decodeVariant(variant, { valueType: 'STRING' });
    if (decoded === shown) return true;
  }
  // Elements without a value cannot be encoded.
  const isText = isOne && findBuiltInType(form.dataType) !== undefined;
  return !isText && isSameJson(shown, text);
}

function toPlainNodeId(text: string, namespaces: Namespaces): string | undefined {
  const parsed = parseNodeId(text);
  if (parsed === undefined) return undefined;
  const { namespace, identifier } = parsed;
  const isGuid = identifier.startsWith('g=');
  return namespaces.resolve({ namespace, identifier: isGuid ? identifier.toLowerCase() : identifier });
}

/** True if two texts are equivalent JSON: white space, member order and spelling of strings and numbers are ignored. */
function isSameJson(one: string, other: string): boolean {
  try {
    return isDeepStrictEqual(parse(one), parse(other));
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function parse(text: string): unknown {
  return JSON.parse(text, toNumber as (key: string, value: unknown) => unknown) as unknown;
}

/** Types of the values that STRING channels returned in a session. */
export class ReadTypes {
  readonly #forms = new Map<string, ReadType>();

  /** Returns the type of the newest value; undefined if the session has read none. */
  find(address: OpcuaAddress): ReadType | undefined {
    return this.#forms.get(toKey(address));
  }

  /**
   * Wraps a reader to record the type of each value.
   *
   * @param path path of a field, as in `WantedPart`
   */
  watch(read: ChannelReader, address: OpcuaAddress, path: readonly FieldStep[] | undefined): ChannelReader {
    const key = toKey(address);
    return (value, nowMs): Reading => {
      const reading = read(value, nowMs);
      if (reading.failure === undefined) this.#note(key, value, path);
      return reading;
    };
  }

  #note(key: string, { value }: DataValueLike, path: readonly FieldStep[] | undefined): void {
    const held = path === undefined ? value : findField(value, path);
    if (held instanceof VariantFault) return;
    const { dataType } = held;
    const rank = countDimensions(held);
    const former = this.#forms.get(key);
    if (former?.dataType !== dataType || former.rank !== rank) this.#forms.set(key, { dataType, rank });
  }
}

function toKey({ nodeId, attribute, indexRange = '', field = '' }: OpcuaAddress): string {
  return [nodeId, attribute, indexRange, field].join('\n');
}
