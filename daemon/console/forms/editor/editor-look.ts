import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

const LINE_PX = 20;
const WORDS = { fontFamily: 'var(--words)', fontSize: '13px', lineHeight: '20px' };
const BUTTON = {
  boxSizing: 'border-box',
  minHeight: '28px',
  border: '1px solid var(--edge)',
  borderRadius: '2px',
  background: 'var(--surface)',
  color: 'var(--text)',
  ...WORDS,
};
const FLOATING = { border: '1px solid var(--edge)', background: 'var(--surface)', color: 'var(--text)' };
const CHOSEN = { background: 'var(--accent)', color: 'var(--surface)' };

/** Editor theme: matches the console. The shadow root inherits the colours of the page, light or dark. */
export const EDITOR_LOOK: Extension = EditorView.theme({
  '&': { border: '1px solid var(--edge)', borderRadius: '2px', background: 'var(--surface)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
  '.cm-scroller': {
    maxHeight: `min(${28 * LINE_PX + 8}px, 75vh)`,
    fontFamily: 'var(--code)',
    fontSize: '13px',
    lineHeight: `${LINE_PX}px`,
    overflow: 'auto',
  },
  '.cm-content, .cm-gutter': { minHeight: `${8 * LINE_PX + 8}px` },
  '.cm-content': { color: 'var(--text)', caretColor: 'var(--text)' },
  '.cm-line::selection, .cm-line ::selection': CHOSEN,
  '.cm-gutters': {
    border: '0',
    borderRight: '1px solid var(--hairline)',
    background: 'var(--ground)',
    color: 'var(--faint)',
  },
  '.cm-activeLine': { background: 'var(--ground)' },
  '.cm-activeLineGutter': { background: 'var(--ground)', color: 'var(--text)' },
  '.key': { color: 'var(--accent)' },
  '.quoted': { color: 'var(--quoted)' },
  '.remark': { color: 'var(--faint)' },
  '.sign': { color: 'var(--soft)' },
  '.wrong-marks': { width: '16px' },
  '.wrong-mark': { display: 'block', color: 'var(--fault)', textAlign: 'center' },
  '.wrong': { textDecoration: 'underline wavy var(--fault)', textUnderlineOffset: '3px' },
  '.wrong-words, .cm-tooltip.wrong-words': {
    padding: '4px 8px',
    borderLeft: '4px solid var(--fault)',
    whiteSpace: 'pre-wrap',
  },
  '&.cm-focused .cm-matchingBracket': {
    background: 'var(--flash)',
    outline: '1px solid var(--accent)',
  },
  '&.cm-focused .cm-nonmatchingBracket': { background: 'none', outline: '1px solid var(--fault)' },
  '.found': { background: 'var(--flash)' },
  '.found.here': { ...CHOSEN },
  '.found.here *': { color: 'inherit' },
  '.cm-tooltip': { ...FLOATING, ...WORDS, zIndex: '400' },
  '.cm-tooltip .key-words, .cm-tooltip .wrong-words, .cm-tooltip.wrong-words': {
    maxWidth: 'min(440px, 90vw)',
  },
  '.key-words': { padding: '4px 8px' },
  '.key-words p': { margin: '0', overflowWrap: 'anywhere', whiteSpace: 'normal' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    minWidth: '160px',
    maxWidth: 'min(440px, 90vw)',
    maxHeight: '220px',
    fontFamily: 'var(--code)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px', lineHeight: '20px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': CHOSEN,
  '.cm-completionDetail': { ...WORDS, fontStyle: 'normal' },
  '.cm-tooltip.cm-completionInfo': { padding: '0', whiteSpace: 'normal' },
  // Its width fills the window; the margin of the page keeps it away from the edge.
  '.cm-completionInfo.cm-completionInfo-right-narrow': { left: '14px' },
  '.cm-panels': { background: 'var(--ground)', color: 'var(--text)' },
  '.cm-panels-top': { borderBottom: '1px solid var(--hairline)' },
  '.find': { position: 'relative', padding: '8px 40px 8px 8px' },
  '.find > div': { display: 'flex', flexWrap: 'wrap', gap: '4px 8px', alignItems: 'center' },
  '.find > div + div': { marginTop: '4px' },
  '.find input:not([type]), .find button': { ...BUTTON, padding: '2px 8px' },
  '.find button': { cursor: 'pointer' },
  '.find input:not([type])': { flex: '1 1 120px', minWidth: '0', maxWidth: '240px' },
  '.find [aria-invalid=true]': { borderColor: 'var(--fault)' },
  '.find label, .find [role=status]': {
    ...WORDS,
    display: 'inline-flex',
    alignItems: 'center',
    gap: '4px',
  },
  '.find input[type=checkbox]': { accentColor: 'var(--accent)', width: '16px', height: '16px', margin: '0' },
  '.find .close': {
    position: 'absolute',
    top: '8px',
    right: '8px',
    width: '28px',
    border: '0',
    background: 'none',
    fontSize: '16px',
  },
  '@media (pointer: coarse)': {
    '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '12px 8px' },
    '.find input:not([type]), .find button': { minHeight: '44px' },
  },
  '.cm-panels :focus-visible': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
});
