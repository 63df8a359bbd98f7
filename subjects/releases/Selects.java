import java.nio.file.Files;
import java.nio.file.Path;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;

/** Makes a page of the words of a file and looks elements up by their ancestors (jsoup). */
public class Selects {
    public static void main(String[] arguments) throws Exception {
        StringBuilder page = new StringBuilder("<body>");
        int at = 0;
        for (String word : Files.readString(Path.of(arguments[0])).split("\\s+")) {
            page.append(at % 10 == 0 ? "<div id=part" + at + ">" : "");
            page.append("<p class=c").append(at % 7).append("><span>").append(word).append("</span></p>");
            page.append(at % 10 == 9 ? "</div>" : "");
            at++;
        }
        Document document = Jsoup.parse(page.toString());
        int found = document.select("#part10 .c3").size() + document.select("#part20 span").size();
        System.out.println(found + document.select("div .c5").size());
    }
}
