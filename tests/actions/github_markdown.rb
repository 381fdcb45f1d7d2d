# SPDX-License-Identifier: Apache-2.0
# ruby github_markdown.rb HARMLESS FILE...: as github_markdown.mjs, through GitHub's own html-pipeline.
require 'html/pipeline'

HOSTILE = /EVIL|evil|@|onerror|:shipit:|GH-1|drowssap/
OWN_PAGE = 'https://pages.example/7/report.html'
FORBIDDEN = %w[a img input picture video svg iframe script style].freeze
PIPELINE = HTML::Pipeline.new(
  [HTML::Pipeline::MarkdownFilter, HTML::Pipeline::SanitizationFilter, HTML::Pipeline::MentionFilter,
   HTML::Pipeline::TeamMentionFilter, HTML::Pipeline::AutolinkFilter],
  gfm: true, unsafe: true, base_url: 'https://example.invalid'
)

# The tags outside of code in their order, and what must not be.
def own?(node, file)
  href = node['href'].to_s
  node.name == 'a' && File.basename(file).start_with?('linked-') && (href == OWN_PAGE || href.start_with?("#{OWN_PAGE}#b="))
end

def read(node, tags, wrong, file)
  wrong << "text outside of code: #{node.text[0, 80]}" if node.text? && node.text =~ HOSTILE
  if node.element?
    wrong << "<#{node.name}>" if FORBIDDEN.include?(node.name) && !own?(node, file)
    tags << node.name
    return if %w[code pre].include?(node.name)
  end
  node.children.each { |child| read(child, tags, wrong, file) }
  tags << "/#{node.name}" if node.element?
end

def look(file)
  tags = []
  wrong = []
  html = PIPELINE.call(File.read(file, encoding: 'UTF-8'))[:output].to_s
  read(Nokogiri::HTML::DocumentFragment.parse(html), tags, wrong, file)
  [tags.join(' '), wrong]
end

expected, = look(ARGV.shift)
all = expected.include?('details') && expected.include?('table') ? 0 : 1
ARGV.each do |file|
  tags, wrong = look(file)
  wrong << "another structure: #{tags}" if !file.include?('lines') && tags != expected
  wrong.each { |one| puts "#{file}: #{one}" }
  all += wrong.size
end
puts "harmless: #{expected}" unless all.zero?
exit(all.zero? ? 0 : 1)
