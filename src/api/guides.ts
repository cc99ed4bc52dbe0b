import { type GuideFile, readGuideFiles } from '../pages/docs/guide-files.ts';

/** A guide as programs find it. */
export interface Guide extends GuideFile {
  /** Of its file, without the suffix. */
  readonly name: string;
  readonly title: string;
  /** Its first paragraph, in one line of Markdown. */
  readonly about: string;
}

let guides: readonly Guide[] | undefined;

/** The guides for users, in the order of docs/README.md. Read once: they change with the program only. */
export function readGuides(): readonly Guide[] {
  guides ??= readGuideFiles()
    .guides.filter(({ file }) => file.startsWith('guides/'))
    .map(guideOf);
  return guides;
}

function guideOf(guide: GuideFile): Guide {
  const [heading = '', about = ''] = guide.text.split(/\n{2,}/, 2);
  const name = guide.file.replace(/^guides\//, '').replace(/\.md$/, '');
  return {
    ...guide,
    name,
    title: heading.replace(/^# /, '').trim(),
    about: about.trim().replaceAll('\n', ' '),
  };
}
