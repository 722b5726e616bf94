import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const LINE_PX = 20;
const WORDS = { fontFamily: 'var(--words)', fontSize: '13px', lineHeight: '20px' };
const BUTTON = {
  minHeight: '28px',
  border: '1px solid var(--edge)',
  borderRadius: '2px',
  background: 'var(--surface)',
  color: 'var(--text)',
  ...WORDS,
};
const FLOATING = { border: '1px solid var(--edge)', background: 'var(--surface)', color: 'var(--text)' };
const CHOSEN = { background: 'var(--accent)', color: 'var(--surface)' };

// The colours are those of the page, which a shadow root inherits, light or dark.
const theme = EditorView.theme({
  '&': { border: '1px solid var(--edge)', borderRadius: '2px', background: 'var(--surface)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
  '.cm-scroller': {
    maxHeight: `min(${28 * LINE_PX + 8}px, 75vh)`,
    fontFamily: 'var(--values)',
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
  '.cm-gutter-lint': { width: '16px' },
  '.cm-gutter-lint .cm-gutterElement': { padding: '0' },
  '.cm-lint-marker-error': { content: 'normal', color: 'var(--fault)', textAlign: 'center', width: '16px' },
  '.cm-lint-marker-error::before': { content: '"✕"' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--fault)',
    textUnderlineOffset: '3px',
  },
  '.cm-lintRange-active': { background: 'none' },
  '.cm-lintPoint-error::after, .cm-lintPoint::after': { borderBottomColor: 'var(--fault)' },
  '.cm-diagnostic-error': { borderLeft: '4px solid var(--fault)' },
  '&.cm-focused .cm-matchingBracket': {
    background: 'var(--flash)',
    outline: '1px solid var(--accent)',
  },
  '&.cm-focused .cm-nonmatchingBracket': { background: 'none', outline: '1px solid var(--fault)' },
  '.cm-searchMatch': { background: 'var(--flash)' },
  '.cm-searchMatch-selected': { ...CHOSEN },
  '.cm-searchMatch-selected *': { color: 'inherit' },
  '.cm-tooltip': { ...FLOATING, ...WORDS, zIndex: '400' },
  '.cm-tooltip-hover .key-words, .cm-tooltip-hover .cm-diagnostic': { maxWidth: 'min(440px, 90vw)' },
  '.key-words': { padding: '4px 8px' },
  '.key-words p': { margin: '0', overflowWrap: 'anywhere', whiteSpace: 'normal' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    minWidth: '160px',
    maxWidth: 'min(440px, 90vw)',
    maxHeight: '220px',
    fontFamily: 'var(--values)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px', lineHeight: '20px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': CHOSEN,
  '.cm-completionDetail': { ...WORDS, fontStyle: 'normal' },
  '.cm-tooltip.cm-completionInfo': { padding: '0', whiteSpace: 'normal' },
  '@media (pointer: coarse)': {
    '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '12px 8px' },
    '.cm-button, .cm-textfield, .cm-search [name=close]': { minHeight: '44px !important' },
  },
  '.cm-panels': { background: 'var(--ground)', color: 'var(--text)' },
  '.cm-panels-top': { borderBottom: '1px solid var(--hairline)' },
  '.cm-panel.cm-search': {
    display: 'flex',
    flexWrap: 'wrap',
    gap: '4px 8px',
    alignItems: 'center',
    padding: '8px 40px 8px 8px',
  },
  '.cm-panel.cm-search br': { display: 'block', flexBasis: '100%', content: '""' },
  '.cm-panel.cm-search input, .cm-panel.cm-search button, .cm-panel.cm-search label': { margin: '0' },
  '.cm-panel.cm-search label': {
    ...WORDS,
    display: 'inline-flex',
    alignItems: 'center',
    gap: '4px',
    whiteSpace: 'normal',
  },
  '.cm-panel.cm-search input[type=checkbox]': { accentColor: 'var(--accent)', width: '16px', height: '16px' },
  '.cm-button': { ...BUTTON, padding: '2px 8px', backgroundImage: 'none', cursor: 'pointer' },
  '.cm-textfield': { ...BUTTON, padding: '2px 8px' },
  '.cm-panel.cm-search [name=close]': {
    top: '8px',
    right: '8px',
    width: '28px',
    minHeight: '28px',
    color: 'var(--text)',
    fontSize: '16px',
    cursor: 'pointer',
  },
  '@media (max-width: 640px)': {
    '.cm-search [name=select], .cm-search label:has([name=re]), .cm-search label:has([name=word])': {
      display: 'none',
    },
  },
  '.cm-panels :focus-visible': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
});

const colours = HighlightStyle.define([
  { tag: [tags.definition(tags.propertyName)], color: 'var(--accent)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--quoted)' },
  { tag: [tags.content], color: 'var(--text)' },
  { tag: [tags.comment, tags.meta], color: 'var(--faint)' },
  { tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace], color: 'var(--soft)' },
  { tag: [tags.keyword, tags.typeName, tags.labelName, tags.attributeValue], color: 'var(--soft)' },
]);

/** How the editor looks: as the rest of the console. */
export const EDITOR_LOOK: Extension = [theme, syntaxHighlighting(colours)];
