/** Base addresses of a repository: of its rendered pages, and of its raw files. */
export interface RepositoryUrls {
  pages: string
  files: string
}

export function repositoryUrls(repository: string, commit: string): RepositoryUrls {
  return {
    pages: `https://github.com/${repository}/blob/${commit}/`,
    files: `https://raw.githubusercontent.com/${repository}/${commit}/`,
  }
}

/** Makes the links of a Markdown text within the repository absolute; anchors and addresses stay unchanged. */
export function withAbsoluteLinks(text: string, { pages, files }: RepositoryUrls): string {
  return text.replace(
    /(!?)\[([^\]]*)\]\((?:<([^>]*)>|([^)\s]*))\)/g,
    (link, mark: string, words: string, spaced: string | undefined, plain: string | undefined) => {
      const target = spaced ?? plain ?? ''
      if (/^(?:[a-z]+:|#|$)/.test(target)) return link
      return `${mark}[${words}](${mark === '!' ? files : pages}${encodeURI(target)})`
    },
  )
}
