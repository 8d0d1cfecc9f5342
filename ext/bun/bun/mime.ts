// Media types of file names. Recorded from Bun 1.4.5, whose list is that of the IANA registry and of mime-db.

/** Each line: a type and the extensions that have it. */
const table = `
text/html;charset=utf-8 html htm
application/xhtml+xml xhtml
text/javascript;charset=utf-8 js mjs cjs ts mts cts tsx jsx
application/json;charset=utf-8 json map
application/json5 json5
text/css;charset=utf-8 css
text/x-scss scss
text/x-sass sass
text/less less
text/plain;charset=utf-8 txt text log ini conf
text/markdown md markdown
text/csv csv
text/tab-separated-values tsv
application/xml xml xsd
text/yaml yaml yml
application/toml toml
application/wasm wasm
image/png png
image/jpeg jpg jpeg jpe
image/gif gif
image/webp webp
image/avif avif
image/heic heic
image/heif heif
image/svg+xml svg svgz
image/x-icon ico
image/x-ms-bmp bmp
image/tiff tif tiff
image/apng apng
image/vnd.adobe.photoshop psd
audio/mpeg mp3
audio/x-m4a m4a
audio/x-aac aac
audio/ogg ogg oga opus
audio/x-wav wav
audio/x-flac flac
audio/webm weba
audio/midi mid midi
video/mp4 mp4
video/x-m4v m4v
video/quicktime mov
video/webm webm
video/x-matroska mkv
video/x-msvideo avi
video/mpeg mpeg mpg
video/ogg ogv
video/3gpp 3gp
video/x-ms-wmv wmv
video/x-flv flv
application/vnd.apple.mpegurl m3u8
application/dash+xml mpd
font/woff woff
font/woff2 woff2
font/ttf ttf
font/otf otf
application/vnd.ms-fontobject eot
font/collection ttc
application/pdf pdf
application/postscript ps eps
text/rtf rtf
application/msword doc
application/vnd.openxmlformats-officedocument.wordprocessingml.document docx
application/vnd.ms-excel xls
application/vnd.openxmlformats-officedocument.spreadsheetml.sheet xlsx
application/vnd.ms-powerpoint ppt
application/vnd.openxmlformats-officedocument.presentationml.presentation pptx
application/vnd.oasis.opendocument.text odt
application/vnd.oasis.opendocument.spreadsheet ods
application/vnd.oasis.opendocument.presentation odp
application/epub+zip epub
application/x-mobipocket-ebook mobi
application/zip zip
application/gzip gz
application/x-bzip2 bz2
application/x-xz xz
application/x-7z-compressed 7z
application/x-rar-compressed rar
application/x-tar tar
application/java-archive jar war
application/x-iso9660-image iso
application/x-apple-diskimage dmg
application/x-msdownload exe dll msi
application/x-debian-package deb
application/x-redhat-package-manager rpm
application/vnd.android.package-archive apk
application/x-sh sh
application/rls-services+xml rs
text/x-c c h cc cpp
text/x-java-source java
application/x-httpd-php php
application/x-perl pl
text/x-lua lua
application/x-sql sql
application/manifest+json webmanifest
text/cache-manifest manifest appcache
application/atom+xml atom
application/rss+xml rss
text/calendar ics
text/x-vcard vcf
application/ld+json jsonld
application/geo+json geojson
model/gltf+json gltf
model/gltf-binary glb
model/obj obj
model/stl stl
text/vtt vtt
application/x-subrip srt
application/x-tex tex
application/x-latex latex
text/x-handlebars-template hbs
text/coffeescript coffee
application/vnd.dart dart
application/x-shockwave-flash swf
application/x-bittorrent torrent
application/x-x509-ca-cert crt pem der
application/x-iwork-keynote-sffkey key
application/x-pkcs12 p12
application/pgp-signature asc sig
application/xslt+xml xsl xslt
application/xml-dtd dtd
application/wsdl+xml wsdl
text/mdx mdx
text/x-component htc
application/vnd.ms-cab-compressed cab
application/x-cpio cpio
application/vnd.oasis.opendocument.graphics odg
`;

let types: Map<string, string> | undefined;

/** The media type of a path by its extension. */
export function typeOf(path: string): string {
  const dot = path.lastIndexOf(".");
  // A name that begins with its only dot has no extension.
  if (dot <= path.lastIndexOf("/") + 1) return "application/octet-stream";
  if (types === undefined) {
    types = new Map();
    for (const line of table.split("\n")) {
      const [type, ...extensions] = line.split(" ");
      for (const extension of extensions) types.set(extension, type!);
    }
  }
  return types.get(path.slice(dot + 1).toLowerCase()) ?? "application/octet-stream";
}
