import { CST, Lexer } from 'yaml';

/** Highlighting class of a token; plain text has none. */
export type Colour = 'key' | 'quoted' | 'remark' | 'sign';

/** Highlighted range of a text. */
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

/** Generates the highlighted ranges of a YAML or JSON text, in order. */
export function* listColouredParts(text: string): Generator<ColouredPart, void> {
  let offset = 0;
  let isWords = false;
  // A following colon makes a scalar a key.
  let held: { readonly from: number; readonly to: number; readonly colour: Colour | undefined } | undefined;
  for (const token of new Lexer().lex(text)) {
    // Marks that are not part of the text.
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
