import type { Channel } from '../../daemon/channel/channel.ts';
import { BUILT_IN_TYPES, findBuiltInType, findWritableType } from './data-type.ts';
import { decodeVariant } from './decode-variant.ts';
import { encodeVariant } from './encode-variant.ts';
import { isSameJson } from './same-json.ts';
import { namesOneElement, parseIndexRange } from './index-range.ts';
import { parseNodeId } from './node-id.ts';
import type { OpcuaAddress } from './opcua-address.ts';
import type { OpcuaSession } from './opcua-session.ts';
import { VariantFault } from './variant.ts';

const NODE_ID_TYPES: ReadonlySet<number | undefined> = new Set([
  BUILT_IN_TYPES.NodeId,
  BUILT_IN_TYPES.ExpandedNodeId,
]);

/**
 * Whether a text means the value that a channel of value type STRING has shown, in the type of its node: times at the same
 * instant, Guids and NodeIds in any form, arrays element by element, structures member by member.
 *
 * @returns undefined when the session has not read the channel
 */
export function isSameText(
  { address }: Channel<OpcuaAddress>,
  shown: string,
  text: string,
  { heldForms, namespaces }: Pick<OpcuaSession, 'heldForms' | 'namespaces'>,
): boolean | undefined {
  const form = heldForms.find(address);
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

function toPlainNodeId(text: string, namespaces: OpcuaSession['namespaces']): string | undefined {
  const parsed = parseNodeId(text);
  if (parsed === undefined) return undefined;
  const { namespace, identifier } = parsed;
  const isGuid = identifier.startsWith('g=');
  return namespaces.resolve({ namespace, identifier: isGuid ? identifier.toLowerCase() : identifier });
}
