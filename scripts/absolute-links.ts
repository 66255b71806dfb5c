/** Where a repository shows its pages, and where it hands out its files. */
export interface Places {
  pages: string
  files: string
}

export function placesOf(repository: string, commit: string): Places {
  return {
    pages: `https://github.com/${repository}/blob/${commit}/`,
    files: `https://raw.githubusercontent.com/${repository}/${commit}/`,
  }
}

/** Links of Markdown within a repository, as addresses; anchors and addresses stay. */
export function withAbsoluteLinks(text: string, { pages, files }: Places): string {
  return text.replace(
    /(!?)\[([^\]]*)\]\((?:<([^>]*)>|([^)\s]*))\)/g,
    (link, mark: string, words: string, spaced: string | undefined, plain: string | undefined) => {
      const target = spaced ?? plain ?? ''
      if (/^(?:[a-z]+:|#|$)/.test(target)) return link
      return `${mark}[${words}](${mark === '!' ? files : pages}${encodeURI(target)})`
    },
  )
}
