import { parseIdentification } from '../pdu/identification-pdu.ts';
import type { ScanClient } from './scan-client.ts';

/** Identification texts of a device, in the order of the standard. */
export type Identification = Readonly<Record<string, string>>;

// MODBUS Application Protocol V1.1b3, 6.21.
const NAMES: Readonly<Record<number, string>> = {
  0: 'vendorName',
  1: 'productCode',
  2: 'majorMinorRevision',
  3: 'vendorUrl',
  4: 'productName',
  5: 'modelName',
  6: 'userApplicationName',
};
const REGULAR = 2;
// A correct device has seven such objects and returns several per response.
const MAXIMUM_REQUESTS = 8;
const MAXIMUM_TEXT_CHARACTERS = 128;

/** Reads the device identification of a unit; undefined if it has none. */
export async function readIdentification(
  client: Pick<ScanClient, 'send'>,
  unitId: number,
): Promise<Identification | undefined> {
  const basic = await readCategory(client, unitId, 1);
  if (basic === undefined) return undefined;
  // The standard includes the basic objects in the regular ones; devices may omit them.
  const regular = basic.isRegular ? await readCategory(client, unitId, REGULAR) : undefined;
  const texts = new Map([...basic.texts, ...(regular?.texts ?? [])]);
  const named = Object.entries(NAMES).flatMap(([id, name]) => {
    const text = texts.get(Number(id)) ?? '';
    return text === '' ? [] : [[name, text] as const];
  });
  return named.length === 0 ? undefined : Object.fromEntries(named);
}

interface Category {
  readonly texts: ReadonlyMap<number, string>;
  readonly isRegular: boolean;
}

async function readCategory(
  client: Pick<ScanClient, 'send'>,
  unitId: number,
  category: 1 | 2,
): Promise<Category | undefined> {
  const texts = new Map<number, string>();
  let isRegular = false;
  let objectId = 0;
  for (let request = 0; request < MAXIMUM_REQUESTS; request += 1) {
    const response = await client.send({ functionCode: 43, unitId, category, objectId });
    if (response.kind !== 'ANSWERED') break;
    const { conformityLevel, objects, nextObjectId } = parseIdentification(response.bytes);
    isRegular = (conformityLevel & 0x7f) >= REGULAR;
    for (const { id, bytes } of objects) if (!texts.has(id)) texts.set(id, toText(bytes));
    // Guards against a device that never ends the list.
    if (nextObjectId === undefined || nextObjectId <= objectId) break;
    objectId = nextObjectId;
  }
  return texts.size === 0 ? undefined : { texts, isRegular };
}

/** Decodes the text of an object: the standard requires ASCII, and unprintable characters are replaced. */
function toText(bytes: Buffer): string {
  const text = bytes.toString('latin1').replaceAll(/[^\u0020-\u007E\u00A1-\u00AC\u00AE-\u00FF]/g, ' ');
  return text.replaceAll(/ +/g, ' ').trim().slice(0, MAXIMUM_TEXT_CHARACTERS);
}
