import { CST, Lexer } from 'yaml';

/** How a part of a text looks; what is nothing special is no part. */
export type Colour = 'key' | 'quoted' | 'remark' | 'sign';

/** A part of a text that has a colour of its own. */
export interface ColouredPart {
  readonly from: number;
  readonly to: number;
  readonly colour: Colour;
}

const COLOURS: Readonly<Record<string, Colour>> = {
  comment: 'remark',
  'directive-line': 'remark',
  'doc-start': 'remark',
  'doc-end': 'remark',
  'single-quoted-scalar': 'quoted',
  'double-quoted-scalar': 'quoted',
  'seq-item-ind': 'sign',
  'explicit-key-ind': 'sign',
  'map-value-ind': 'sign',
  'flow-map-start': 'sign',
  'flow-map-end': 'sign',
  'flow-seq-start': 'sign',
  'flow-seq-end': 'sign',
  comma: 'sign',
  alias: 'sign',
  anchor: 'sign',
  tag: 'sign',
  'block-scalar-header': 'sign',
};

/** Lists the parts of a YAML or JSON text that have a colour, in their order, one after the other as they are asked for. */
export function* listColouredParts(text: string): Generator<ColouredPart, void> {
  let offset = 0;
  let isWords = false;
  // Whether something is a key is told by the colon behind it.
  let held: { readonly from: number; readonly to: number; readonly colour: Colour | undefined } | undefined;
  for (const token of new Lexer().lex(text)) {
    // Marks that the text itself does not have.
    if (token === CST.DOCUMENT || token === CST.FLOW_END || token === CST.SCALAR) {
      isWords = token === CST.SCALAR;
      continue;
    }
    const [from, to] = [offset, offset + token.length];
    const type = isWords ? 'scalar' : (CST.tokenType(token) ?? '');
    [offset, isWords] = [to, false];
    if (type === 'space') continue;
    const colour = type === 'map-value-ind' && held !== undefined ? 'key' : held?.colour;
    if (held !== undefined && colour !== undefined) yield { from: held.from, to: held.to, colour };
    held = undefined;
    const own = COLOURS[type];
    if (type === 'scalar' || own === 'quoted') held = { from, to, colour: own };
    else if (own !== undefined) yield { from, to, colour: own };
  }
  if (held?.colour !== undefined) yield { from: held.from, to: held.to, colour: held.colour };
}
