<xsl:stylesheet version="2.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:template match="/library">
    <report>
      <xsl:for-each-group select="book" group-by="@year">
        <xsl:sort select="current-grouping-key()" data-type="number"/>
        <year n="{current-grouping-key()}" mean="{avg(current-group()/number(price))}">
          <xsl:for-each select="current-group()">
            <xsl:sort select="title"/>
            <title><xsl:value-of select="string-join(for $w in tokenize(title, ' ') return concat(upper-case(substring($w, 1, 1)), substring($w, 2)), ' ')"/></title>
          </xsl:for-each>
        </year>
      </xsl:for-each-group>
    </report>
  </xsl:template>
</xsl:stylesheet>
